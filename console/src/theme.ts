import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 9, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
})
