import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'cyan',
  // White letters are read on it in the dark, too; the library chooses one colour of letters for both.
  primaryShade: 9,
  autoContrast: true,
  // Menus and dialogs are there at once for who asked the system for less motion; the rest is in shell.css.
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
})
