// A figure on a line: drag, arrow keys for fine steps, typed, double click to what is usual. Logarithmic where twice
// and half are equally far.

import "./slider.css";
import { Slider as Radix } from "radix-ui";
import { useEffect, useId, useState } from "react";
import { formatDecimal } from "../messages/format.ts";

type SliderProps = {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** What a double click sets. */
  usual: number;
  marks?: readonly number[];
  isLogarithmic?: boolean;
  unit?: string;
  onChange: (value: number) => void;
  /** The pointer was let go, or a key pressed: a value worth keeping. */
  onCommit?: (value: number) => void;
};

export function Slider({
  label,
  value,
  min,
  max,
  step,
  usual,
  marks = [],
  isLogarithmic = false,
  unit = "",
  onChange,
  onCommit,
}: SliderProps) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const shown = formatDecimal(value, decimals);
  const toLine = (figure: number) => (isLogarithmic ? Math.log(figure) : figure);
  const fromLine = (place: number) => round(isLogarithmic ? Math.exp(place) : place);
  const round = (figure: number) =>
    Number(Math.min(max, Math.max(min, Math.round(figure / step) * step)).toFixed(decimals));
  const place = (figure: number) =>
    `${((toLine(figure) - toLine(min)) / (toLine(max) - toLine(min))) * 100}%`;
  const settle = (figure: number) => {
    onChange(figure);
    onCommit?.(figure);
  };
  useEffect(() => setTyped(undefined), [value]);
  const take = () => {
    const figure = Number(typed?.replace(",", "."));
    if (typed !== undefined && typed.trim() !== "" && Number.isFinite(figure))
      settle(round(figure));
    setTyped(undefined);
  };
  return (
    <div className="slider">
      <label className="field-label slider-label" htmlFor={id}>
        {label}
      </label>
      <Radix.Root
        className="slider-root"
        min={toLine(min)}
        max={toLine(max)}
        step={isLogarithmic ? 0.0001 : step}
        value={[toLine(value)]}
        onValueChange={([next = toLine(value)]) => onChange(fromLine(next))}
        onValueCommit={([next = toLine(value)]) => onCommit?.(fromLine(next))}
        onDoubleClick={() => settle(usual)}
        onKeyDownCapture={(event) => {
          // The line's own steps are even on it; a person wants steps of the figure.
          const by = {
            ArrowRight: 1,
            ArrowUp: 1,
            ArrowLeft: -1,
            ArrowDown: -1,
            PageUp: 10,
            PageDown: -10,
          }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          settle(round(value + by * step));
        }}
      >
        <Radix.Track className="slider-track">
          <Radix.Range className="slider-range" />
          {marks.map((mark) => (
            <span key={mark} className="slider-mark" style={{ "--at": place(mark) }} />
          ))}
        </Radix.Track>
        <Radix.Thumb
          className="slider-thumb"
          aria-label={label}
          aria-valuetext={`${shown}${unit}`}
        />
      </Radix.Root>
      <span className="slider-typed">
        <input
          id={id}
          className="input slider-value"
          inputMode="decimal"
          value={typed ?? shown}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={take}
          onKeyDown={(event) => {
            if (event.key === "Enter") take();
            if (event.key === "Escape") setTyped(undefined);
          }}
        />
        <span className="slider-unit" aria-hidden>
          {unit}
        </span>
      </span>
    </div>
  );
}
