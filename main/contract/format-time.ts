const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** `m:ss` below one hour, `h:mm:ss` above; fractions are dropped. */
export function formatTime(sec: number): string {
  const totalSec = Math.max(0, Math.floor(sec));
  const [hours, minutes, seconds] = [
    Math.floor(totalSec / 3600),
    Math.floor(totalSec / 60) % 60,
    totalSec % 60,
  ];
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}`
    : `${minutes}:${twoDigits(seconds)}`;
}
