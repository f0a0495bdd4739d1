// Time as a limit can be set on it: of the processor, which other programs on the machine do not lengthen by minutes.

/** Milliseconds of the processor that this process spent while the work was done, on all of its threads. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
