/** The first index of a value that is not less than this one. */
export function lowerBound(ascending: Float64Array | Uint32Array, least: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}
