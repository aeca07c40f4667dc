interface CellTower {
  readonly mobileCountryCode?: unknown
  readonly mobileNetworkCode?: unknown
  readonly locationAreaCode?: unknown
  readonly cellId?: unknown
}

/** The cell of the telephone network that serves the tracker, as `MCC;MNC;LAC;CellId` (fleet-api-v2.md, *Value formats*). */
export function cellInfoOf(network: unknown): string | undefined {
  const { cellTowers } = (network ?? {}) as { readonly cellTowers?: unknown }
  const tower: CellTower | null | undefined = Array.isArray(cellTowers) ? cellTowers[0] : undefined
  if (!tower) return undefined
  const parts = [tower.mobileCountryCode, tower.mobileNetworkCode, tower.locationAreaCode, tower.cellId]
  return parts.every(part => Number.isSafeInteger(part)) ? parts.join(';') : undefined
}
