// CPU time for limits in tests: unlike elapsed time, other programs on the machine hardly change it.

/** CPU time in ms that this process used during the work, summed over all threads. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
