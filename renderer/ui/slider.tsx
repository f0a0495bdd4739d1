// Slider with a number field: drag, arrow keys for fine steps, double click for the default. Logarithmic: doubling and
// halving are equal distances.

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
  /** Set by a double click. */
  defaultValue: number;
  marks?: readonly number[];
  isLogarithmic?: boolean;
  unit?: string;
  onChange: (value: number) => void;
  /** The pointer or key was released: save the value now. */
  onCommit?: (value: number) => void;
};

const stepsByKey: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};

export function Slider({
  label,
  value,
  min,
  max,
  step,
  defaultValue,
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
  const toTrack = (newValue: number) => (isLogarithmic ? Math.log(newValue) : newValue);
  const fromTrack = (position: number) => round(isLogarithmic ? Math.exp(position) : position);
  const round = (newValue: number) =>
    Number(Math.min(max, Math.max(min, Math.round(newValue / step) * step)).toFixed(decimals));
  const position = (newValue: number) =>
    `${((toTrack(newValue) - toTrack(min)) / (toTrack(max) - toTrack(min))) * 100}%`;
  const setAndCommit = (newValue: number) => {
    onChange(newValue);
    onCommit?.(newValue);
  };
  useEffect(() => setTyped(undefined), [value]);
  const applyTyped = () => {
    const newValue = Number(typed?.replace(",", "."));
    if (typed !== undefined && typed.trim() !== "" && Number.isFinite(newValue))
      setAndCommit(round(newValue));
    setTyped(undefined);
  };
  return (
    <div className="slider">
      <label className="field-label slider-label" htmlFor={id}>
        {label}
      </label>
      <Radix.Root
        className={`slider-root ${marks.length > 0 ? "slider-marked" : ""}`}
        min={toTrack(min)}
        max={toTrack(max)}
        step={isLogarithmic ? 0.0001 : step}
        value={[toTrack(value)]}
        onValueChange={([next = toTrack(value)]) => onChange(fromTrack(next))}
        onValueCommit={([next = toTrack(value)]) => onCommit?.(fromTrack(next))}
        onDoubleClick={() => setAndCommit(defaultValue)}
        onKeyDownCapture={(event) => {
          // On a logarithmic slider Radix's steps are equal distances on the line; users expect equal steps of the
          // value.
          const stepCount = stepsByKey[event.key];
          if (stepCount === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          setAndCommit(round(value + stepCount * step));
        }}
      >
        <Radix.Track className="slider-track">
          <Radix.Range className="slider-range" />
          {marks.map((mark) => (
            <span
              key={mark}
              className="slider-mark"
              data-label={formatDecimal(mark, Number.isInteger(mark) ? 0 : 1)}
              style={{ "--at": position(mark) }}
            />
          ))}
        </Radix.Track>
        <Radix.Thumb
          className="slider-thumb"
          aria-label={label}
          aria-valuetext={`${shown}${unit}`}
        />
      </Radix.Root>
      <span className="slider-typed" style={{ "--unit-length": unit.length }}>
        <input
          id={id}
          className="input slider-value"
          inputMode="decimal"
          value={typed ?? shown}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={applyTyped}
          onKeyDown={(event) => {
            if (event.key === "Enter") applyTyped();
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
