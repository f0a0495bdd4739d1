// A progress bar on the last line of a terminal; nothing where stderr is no terminal.

export type Progress = {
  /** @param done 0 to 1, or undefined where the length is not known @param note what is being done */
  show(done: number | undefined, note: string): void;
  clear(): void;
};

const barWidth = 24;
const maxFramesPerSec = 10;

export function createProgress(out: NodeJS.WriteStream): Progress {
  if (!out.isTTY) return { show: () => {}, clear: () => {} };
  const begunMs = Date.now();
  let shownMs = 0;
  return {
    show(done, note) {
      const nowMs = Date.now();
      if (nowMs - shownMs < 1000 / maxFramesPerSec) return;
      shownMs = nowMs;
      const line =
        done === undefined
          ? note
          : `${bar(done)} ${String(Math.round(done * 100)).padStart(3)} %  ${timeLeft(done, nowMs - begunMs)}  ${note}`;
      out.write(`\r\u001B[K${line.slice(0, out.columns - 1)}`);
    },
    clear() {
      if (shownMs > 0) out.write("\r\u001B[K");
      shownMs = 0;
    },
  };
}

function bar(done: number): string {
  const full = Math.round(Math.min(1, done) * barWidth);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}

/** Guessed from the pace so far. */
function timeLeft(done: number, passedMs: number): string {
  if (done <= 0) return "--:--";
  const sec = Math.round(((1 - Math.min(1, done)) * passedMs) / done / 1000);
  return `${String(Math.floor(sec / 60)).padStart(2, "0")}:${String(sec % 60).padStart(2, "0")}`;
}
