/** A name that a client made up, as it may stand in a sentence. */
export function legibleName(name: string): string {
  return /^\w{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100))
}
