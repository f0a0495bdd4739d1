const two = (value: number): string => String(value).padStart(2, "0");

/** `m:ss` under an hour, `h:mm:ss` above; fractions dropped. */
export function formatTime(sec: number): string {
  const whole = Math.max(0, Math.floor(sec));
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
