const listeners = new Set<() => void>()
let isPrinting = false

/** Whether the page is being drawn for paper. */
export function isPrintingNow(): boolean {
  return isPrinting
}

export function onPrinting(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Pages in dark colours are printed in light ones; `print.css` does the rest. */
export function startPrinting(): void {
  const { documentElement: root } = document
  window.addEventListener('beforeprint', () => {
    root.toggleAttribute('data-prints-dark', root.dataset.mantineColorScheme === 'dark')
    root.dataset.mantineColorScheme = 'light'
    tell(true)
  })
  window.addEventListener('afterprint', () => {
    if (root.hasAttribute('data-prints-dark')) root.dataset.mantineColorScheme = 'dark'
    root.removeAttribute('data-prints-dark')
    tell(false)
  })
}

function tell(changed: boolean): void {
  isPrinting = changed
  for (const listener of listeners) listener()
}
