import { Box, Center, useComputedColorScheme } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { type ComponentType, lazy } from 'react'
import { useTexts } from '../language/language.ts'
import { EmptyState } from '../page/page.tsx'
import { persistently } from '../shell/persistently.ts'
import { paletteOf } from './palette.ts'

/**
 * A map, whose code is three times that of everything else: it is loaded when the map is wanted, and not at all by a browser that
 * cannot draw one.
 */
export function lazyMap<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(
    persistently(
      async (): Promise<{ default: ComponentType<Props> }> => ({
        default: canDrawMaps() ? await load() : NoMap,
      }),
    ),
  )
}

let isDrawable: boolean | undefined

function canDrawMaps(): boolean {
  if (isDrawable !== undefined) return isDrawable
  const context = document.createElement('canvas').getContext('webgl2')
  // A browser has few of them.
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  isDrawable = context !== null
  return isDrawable
}

function NoMap() {
  const texts = useTexts('baseMap')
  return (
    <Center h="100%" bg="var(--mantine-color-body)">
      <EmptyState icon={IconMapOff} title={texts.cannotDraw} hint={texts.cannotDrawHint} />
    </Center>
  )
}

/** Where the map will be, in its colour. */
export function MapGround() {
  const isDark = useComputedColorScheme('light') === 'dark'
  return <Box h="100%" w="100%" bg={paletteOf(isDark).water} aria-busy />
}
