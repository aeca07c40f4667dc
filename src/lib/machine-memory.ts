import { totalmem } from 'node:os'

const GIB = 2 ** 30

/** Bytes of memory of the machine, or of the container where that is less. */
export function machineMemoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** Whether the service shares so little memory with everything else there that it takes less for speed. */
export function isSmallMachine(): boolean {
  return machineMemoryBytes() < 2 * GIB
}
