/**
 * How much of every long search is done. The suite does a bounded share of each, with the same inputs each time;
 * `TACHO_DEEP=20` does twenty times as much with inputs of its own, and what else is left out for its length:
 * `TACHO_DEEP=20 npx vitest run test/order`.
 */
const times = Number(process.env.TACHO_DEEP || 1)
if (!(times >= 1)) throw new Error(`TACHO_DEEP is how many times as much is searched: ${process.env.TACHO_DEEP}`)

/** Whether everything is run, however long it takes. */
export const IS_DEEP = times > 1

/** @param count of what a run of the suite does */
export function deep(count: number): number {
  return Math.ceil(count * times)
}
