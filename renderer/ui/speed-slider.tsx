// Slider for speech speed, with the range that models support and the same steps everywhere.

import { Slider } from "./slider.tsx";

type SpeedSliderProps = {
  label: string;
  value: number;
  onChange: (speed: number) => void;
  onCommit: (speed: number) => void;
};

const marks = [0.5, 1, 1.5, 2];

export const SpeedSlider = (props: SpeedSliderProps) => (
  <Slider
    {...props}
    min={0.25}
    max={4}
    step={0.05}
    defaultValue={1}
    unit="×"
    isLogarithmic
    marks={marks}
  />
);
