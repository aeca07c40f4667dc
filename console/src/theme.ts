import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'cyan',
  // White letters are read on it in the dark, too; the library chooses one colour of letters for both.
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
})
