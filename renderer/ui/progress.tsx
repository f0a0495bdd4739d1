// Progress as a thin line. Show the value as text next to it.

import "./progress.css";

/** `fraction` is 0 to 1; undefined: not known. */
export function Progress({ label, fraction }: { label: string; fraction: number | undefined }) {
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={fraction === undefined ? undefined : Math.round(fraction * 100)}
    >
      <div className="progress-done" style={{ "--part": fraction ?? 0 }} />
    </div>
  );
}
