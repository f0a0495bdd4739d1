// How far something is, as a thin line. The figure belongs beside it, in words.

import "./progress.css";

/** `part` is 0 to 1; undefined: not known. */
export function Progress({ label, part }: { label: string; part: number | undefined }) {
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={part === undefined ? undefined : Math.round(part * 100)}
    >
      <div className="progress-done" style={{ "--part": part ?? 0 }} />
    </div>
  );
}
