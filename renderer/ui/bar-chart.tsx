// Bars over days. Drawn by the style sheet, so that it follows the theme. The same figures belong in a table beside
// it: a picture is not read out.

import "./bar-chart.css";
import { languageInUse } from "../messages/messages.ts";
import { everyNth, ticksTo } from "./chart-scale.ts";

type BarChartProps = {
  label: string;
  days: readonly { readonly day: string; readonly value: number }[];
  format: (value: number) => string;
};

const maxTicks = 4;
const maxNames = 8;

/** Days as `2026-11-21`, in order; those without a bar are to be there with 0. */
export function BarChart({ label, days, format }: BarChartProps) {
  const ticks = ticksTo(Math.max(...days.map(({ value }) => value)), maxTicks);
  const most = ticks.at(-1) ?? 1;
  const dayName = new Intl.DateTimeFormat(languageInUse(), { day: "numeric", month: "short" });
  const named = (day: string) => dayName.format(new Date(`${day}T12:00`));
  const part = (value: number) => `${(value / most) * 100}%`;
  const places = days.map(({ day }, index) => ({
    day,
    at: `${((index + 0.5) / days.length) * 100}%`,
  }));
  return (
    <div className="bar-chart" role="img" aria-label={label}>
      <div className="bar-chart-scale">
        {ticks.map((tick) => (
          <span key={tick} className="bar-chart-tick" style={{ "--at": part(tick) }}>
            {format(tick)}
          </span>
        ))}
      </div>
      <div className="bar-chart-plot">
        {ticks.map((tick) => (
          <span key={tick} className="bar-chart-line" style={{ "--at": part(tick) }} />
        ))}
        <div className="bar-chart-bars">
          {days.map(({ day, value }) => (
            <span key={day} className="bar-chart-slot">
              <span className="bar-chart-bar" style={{ "--part": part(value) }} />
              <span className="bar-chart-said">
                {named(day)}: {format(value)}
              </span>
            </span>
          ))}
        </div>
      </div>
      <div className="bar-chart-days">
        {everyNth(places, maxNames).map(({ day, at }) => (
          <span key={day} className="bar-chart-day" style={{ "--at": at }}>
            {named(day)}
          </span>
        ))}
      </div>
    </div>
  );
}
