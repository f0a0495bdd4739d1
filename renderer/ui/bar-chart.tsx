// Bar chart over days. Laid out by CSS, so that it follows the theme. Show the same values in a table next to it,
// because screen readers do not read the chart.

import "./bar-chart.css";
import { formatShortDay } from "../messages/format.ts";
import { everyNth, axisTicks } from "./chart-scale.ts";

type BarChartProps = {
  label: string;
  days: readonly { readonly day: string; readonly value: number }[];
  format: (value: number) => string;
};

const maxTicks = 4;
const maxDayLabels = 8;

const formatDay = (day: string): string => formatShortDay(new Date(`${day}T12:00`).getTime());

/** Days as `2026-11-21`, in order; days without a value need an entry with 0. */
export function BarChart({ label, days, format }: BarChartProps) {
  const ticks = axisTicks(Math.max(...days.map(({ value }) => value)), maxTicks);
  const maxTick = ticks.at(-1) ?? 1;
  const toPercent = (value: number) => `${(value / maxTick) * 100}%`;
  const dayLabels = days.map(({ day }, index) => ({
    day,
    at: `${((index + 0.5) / days.length) * 100}%`,
  }));
  return (
    <div className="bar-chart" role="img" aria-label={label}>
      <div className="bar-chart-scale">
        {ticks.map((tick) => (
          <span key={tick} className="bar-chart-tick" style={{ "--at": toPercent(tick) }}>
            {format(tick)}
          </span>
        ))}
      </div>
      <div className="bar-chart-plot">
        {ticks.map((tick) => (
          <span key={tick} className="bar-chart-line" style={{ "--at": toPercent(tick) }} />
        ))}
        <div className="bar-chart-bars">
          {days.map(({ day, value }) => (
            <span key={day} className="bar-chart-slot">
              <span className="bar-chart-bar" style={{ "--part": toPercent(value) }} />
              <span className="bar-chart-said">
                {formatDay(day)}: {format(value)}
              </span>
            </span>
          ))}
        </div>
      </div>
      <div className="bar-chart-days">
        {everyNth(dayLabels, maxDayLabels).map(({ day, at }) => (
          <span key={day} className="bar-chart-day" style={{ "--at": at }}>
            {formatDay(day)}
          </span>
        ))}
      </div>
    </div>
  );
}
