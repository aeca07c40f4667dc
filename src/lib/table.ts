const GAP = '  '

/** Rows under headings, in columns as wide as the content. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map(row => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(GAP)
  return [headings.map(heading => heading.toUpperCase()), ...rows].map(row => line(row).trimEnd()).join('\n')
}

/** An instant of the database, to the minute. */
export function minuteText(instant: string | null): string {
  return instant === null ? '' : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`
}
