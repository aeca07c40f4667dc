import { Box, CloseButton, Group, Paper, Text, useComputedColorScheme } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import {
  AttributionControl,
  type LngLatBoundsLike,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
} from 'maplibre-gl'
import 'maplibre-gl/dist/maplibre-gl.css'
import './base-map.css'
import { useEffect, useRef, useState } from 'react'
import { useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { baseStyle } from './base-style.ts'
import { waterColor } from './outlines.ts'
import { baseMapTexts } from './texts.ts'
import './map-worker.ts'

interface BaseMapProps {
  /** What the map shows, for whoever does not see it. */
  readonly label: string
  /** What is seen first; later the map stays where the person moved it. */
  readonly bounds?: LngLatBoundsLike | undefined
  /**
   * Is given the map when its base is drawn and layers can be added, and `undefined` when that map is gone. A map is
   * made for one language and one colour scheme: when these change, the next one comes, at the same place.
   */
  readonly onMap: (map: MapLibreMap | undefined) => void
}

/** A map that fills its parent, with the base map of this service, buttons to zoom and a scale. */
export function BaseMap({ label, bounds, onMap }: BaseMapProps) {
  const texts = useTexts(baseMapTexts)
  const language = useLanguage()
  const isDark = useComputedColorScheme('light') === 'dark'
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<{ center: [number, number]; zoom: number }>(undefined)
  const [trouble, setTrouble] = useState<'replaced' | 'cannotDraw'>()
  const latest = useRef({ label, bounds, onMap })
  latest.current = { label, bounds, onMap }

  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    let map: MapLibreMap | undefined
    let isGone = false
    const begin = async () => {
      const { style, isReplacement } = await baseStyle(language, isDark)
      if (isGone) return
      setTrouble(isReplacement ? 'replaced' : undefined)
      const first = latest.current.bounds
      const made = makeMap(() => {
        return new MapLibreMap({
          container: element,
          style,
          locale: { ...baseMapTexts[language].controls, 'Map.Title': latest.current.label },
          attributionControl: false,
          dragRotate: false,
          pitchWithRotate: false,
          touchPitch: false,
          fadeDuration: 0,
          maxZoom: 19,
          ...(view.current ??
            (first ? { bounds: first, fitBoundsOptions: { padding: 48, maxZoom: 15 } } : { zoom: 1 })),
        })
      })
      if (!made) {
        setTrouble('cannotDraw')
        return
      }
      map = made
      made.touchZoomRotate.disableRotation()
      made.keyboard.disableRotation()
      made.addControl(new NavigationControl({ showCompass: false }), 'top-right')
      made.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-left')
      made.addControl(new AttributionControl({ compact: true }), 'bottom-right')
      made.on('moveend', () => {
        const { lng, lat } = made.getCenter()
        view.current = { center: [lng, lat], zoom: made.getZoom() }
      })
      made.once('style.load', () => latest.current.onMap(made))
    }
    void begin()
    return () => {
      isGone = true
      if (!map) return
      latest.current.onMap(undefined)
      map.remove()
    }
  }, [language, isDark])

  return (
    <Box pos="relative" h="100%" w="100%" bg={waterColor(isDark)}>
      <div ref={container} className="base-map" />
      {trouble === 'replaced' && (
        <Paper pos="absolute" top={8} left={8} right={56} maw={420} p={6} pl="sm" shadow="sm" role="status">
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Text size="sm">{texts.styleFailed}</Text>
            <CloseButton size="sm" aria-label={texts.hide} onClick={() => setTrouble(undefined)} />
          </Group>
        </Paper>
      )}
      {trouble === 'cannotDraw' && (
        <Box pos="absolute" inset={0} bg="var(--mantine-color-body)">
          <EmptyState icon={IconMapOff} title={texts.cannotDraw} hint={texts.cannotDrawHint} />
        </Box>
      )}
    </Box>
  )
}

/** @returns nothing if this browser has no WebGL */
function makeMap(make: () => MapLibreMap): MapLibreMap | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
