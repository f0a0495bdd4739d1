// Whether what a process left behind has lost its owner: asked by those who sweep up after killed ones.

/** Also where it is somebody else's, who may not be signalled. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
