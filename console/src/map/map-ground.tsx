import { Box, useComputedColorScheme } from '@mantine/core'
import { paletteOf } from '../base-map/palette.ts'

/** Where the map will be, in its colour. */
export function MapGround() {
  const isDark = useComputedColorScheme('light') === 'dark'
  return <Box h="100%" w="100%" bg={paletteOf(isDark).water} aria-busy />
}
