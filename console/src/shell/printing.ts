import { createAtom } from '@tanstack/react-store'

/** Whether the page is being drawn for paper. */
export const printing = createAtom(false)

/** Pages in dark colours are printed in light ones; `print.css` does the rest. */
export function startPrinting(): void {
  const { documentElement: root } = document
  window.addEventListener('beforeprint', () => {
    root.toggleAttribute('data-prints-dark', root.dataset.mantineColorScheme === 'dark')
    root.dataset.mantineColorScheme = 'light'
    printing.set(true)
  })
  window.addEventListener('afterprint', () => {
    if (root.hasAttribute('data-prints-dark')) root.dataset.mantineColorScheme = 'dark'
    root.removeAttribute('data-prints-dark')
    printing.set(false)
  })
}
