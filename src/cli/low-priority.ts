import { constants, setPriority } from 'node:os'

/** Lets every other process of the machine go first. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Where that is not allowed, it takes its share like everybody.
  }
}
