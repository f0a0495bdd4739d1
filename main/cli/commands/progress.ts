// A progress bar on the last line of a terminal; no output if stderr is no terminal.

export type Progress = {
  /** @param fractionDone 0 to 1, or undefined if the total is unknown @param note current activity */
  show(fractionDone: number | undefined, note: string): void;
  clear(): void;
};

const barWidth = 24;
const maxFramesPerSec = 10;

export function createProgress(out: NodeJS.WriteStream): Progress {
  if (!out.isTTY) return { show: () => {}, clear: () => {} };
  const startedAtMs = Date.now();
  let lastDrawnAtMs = 0;
  return {
    show(fractionDone, note) {
      const nowMs = Date.now();
      if (nowMs - lastDrawnAtMs < 1000 / maxFramesPerSec) return;
      lastDrawnAtMs = nowMs;
      const line =
        fractionDone === undefined
          ? note
          : [
              `${bar(fractionDone)} ${String(Math.round(fractionDone * 100)).padStart(3)} %`,
              timeLeft(fractionDone, nowMs - startedAtMs),
              note,
            ].join("  ");
      out.write(`\r\u001B[K${line.slice(0, out.columns - 1)}`);
    },
    clear() {
      if (lastDrawnAtMs > 0) out.write("\r\u001B[K");
      lastDrawnAtMs = 0;
    },
  };
}

function bar(fractionDone: number): string {
  const filledWidth = Math.round(Math.min(1, fractionDone) * barWidth);
  return "█".repeat(filledWidth) + "░".repeat(barWidth - filledWidth);
}

/** Estimated from the pace so far. */
function timeLeft(fractionDone: number, elapsedMs: number): string {
  if (fractionDone <= 0) return "--:--";
  const sec = Math.round(((1 - Math.min(1, fractionDone)) * elapsedMs) / fractionDone / 1000);
  return `${String(Math.floor(sec / 60)).padStart(2, "0")}:${String(sec % 60).padStart(2, "0")}`;
}
