/** A part of a document that may contain a promise: a row of a table, a paragraph, or an item of a list. */
interface Place {
  readonly heading: string
  /** The first cell of the row, or the whole paragraph; without code marks. */
  readonly text: string
  readonly isRow: boolean
}

/** Every such part of a Markdown document, in order. The header row of a table is none. */
export function placesOf(markdown: string): Place[] {
  const places: Place[] = []
  let heading = ''
  let paragraph = ''
  let isInTable = false
  const close = () => {
    if (paragraph !== '') places.push({ heading, text: paragraph, isRow: false })
    paragraph = ''
  }
  for (const line of markdown.replaceAll('`', '').split('\n')) {
    const newHeading = /^#+ (.*)$/.exec(line)?.[1]
    const cell = /^\| *([^|]*?) *\|/.exec(line)?.[1]
    const item = /^(?:\d+\.|-) (.*)$/.exec(line)?.[1]
    if (newHeading !== undefined || cell !== undefined || item !== undefined || line.trim() === '') close()
    if (newHeading !== undefined) heading = newHeading
    else if (cell !== undefined && isInTable && !cell.startsWith('---'))
      places.push({ heading, text: cell, isRow: true })
    else if (cell === undefined) paragraph = `${paragraph} ${item ?? line}`.trim()
    isInTable = cell !== undefined
  }
  close()
  return places
}
