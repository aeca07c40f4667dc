import 'maplibre-gl/dist/maplibre-gl.css'
import './base-map.css'
import { Box, Button, useComputedColorScheme } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconMapOff, IconSatellite } from '@tabler/icons-react'
import {
  AttributionControl,
  type FitBoundsOptions,
  LngLatBounds,
  type LngLatBoundsLike,
  type MapGeoJSONFeature,
  Map as MapLibreMap,
  type MapOptions,
  NavigationControl,
  prewarm,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { profile, useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../page/page.tsx'
import { type BaseStyle, baseStyle, foreignSources, SATELLITE } from './base-style.ts'
import { MapButton, MapNote } from './lazy-map.tsx'
import { MapQuestion } from './map-choice.tsx'
import { refineOutlines } from './outlines.ts'
import { paletteOf } from './palette.ts'

/** How bounds become a view. */
export const FIT = { padding: 56, maxZoom: 15 }

/** How near to look at one place: with streets, or so that there are names of places around it. */
const CLOSE_ZOOM = { otherServer: 14, ownMap: 14, outlines: 11 } as const

interface BaseMapProps {
  /** What the map shows, for screen readers. */
  readonly label: string
  /** What is seen first; later the map stays where the person moved it. */
  readonly bounds?: LngLatBoundsLike | undefined
  /** Whether it asks administrators, once, where streets shall come from. */
  readonly hasNote?: boolean
  /** How the bounds fit into the map; without a zoom, not closer than one place is looked at. */
  readonly fit?: FitBoundsOptions
  /**
   * Is given the map when its base is drawn and layers can be added, and `undefined` when that map is gone. A map is
   * made for one language and one colour scheme: when these change, the next one comes, at the same place.
   */
  readonly onMap: (map: MapLibreMap | undefined, closeZoom: number) => void
}

/** A map that fills its parent, with the base map of this service, buttons to zoom and a scale. */
export function BaseMap({ label, bounds, fit = FIT, hasNote = false, onMap }: BaseMapProps) {
  const texts = useTexts('baseMap')
  const language = useLanguage()
  const isDark = useComputedColorScheme('light') === 'dark'
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof viewOf>>(undefined)
  const [trouble, setTrouble] = useState<'replaced' | 'notLoaded'>()
  const [base, setBase] = useState<BaseStyle>()
  const [shown, setShown] = useState<MapLibreMap>()
  const [isLocal, setLocal] = useState(false)
  const [isFromAbove, setFromAbove] = useLocalStorage({ key: 'tacho.satellite', defaultValue: false })
  const emitMap = useEffectEvent(onMap)
  const options = useEffectEvent((closeZoom: number) => ({
    locale: { ...texts.controls, 'Map.Title': label },
    ...(view.current ?? (bounds ? { bounds, fitBoundsOptions: fitOf(bounds, fit, closeZoom) } : { zoom: 1 })),
  }))

  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    const gone = new AbortController()
    let map: MapLibreMap | undefined
    const begin = async () => {
      const next = await baseStyle(language, isDark, isLocal)
      if (gone.signal.aborted) return
      setTrouble(next.isReplacement ? 'replaced' : undefined)
      setBase(next)
      const closeZoom = CLOSE_ZOOM[next.origin]
      const first = options(closeZoom)
      const made = makeMap({ ...first, container: element, style: next.style })
      map = made
      // The owner of this map may have forgotten the bounds by the time the next one, of another colour scheme, is made.
      if ('bounds' in first) view.current = viewOf(made)
      const whole = showWhenDrawn(made)
      made.on('moveend', () => {
        view.current = viewOf(made)
      })
      made.once('style.load', () => {
        setShown(made)
        emitMap(made, closeZoom)
      })
      if (next.origin === 'otherServer') watchTiles(made, foreignSources(next.style), () => setLocal(true))
      // That all of the map is drawn and seen once is nothing that finer outlines must delay.
      else if (!savesData()) void whole.then(() => refineOutlines(made, gone.signal))
    }
    begin().catch(() => setTrouble('notLoaded'))
    return () => {
      gone.abort()
      if (!map) return
      setShown(undefined)
      emitMap(undefined, 0)
      map.remove()
    }
  }, [language, isDark, isLocal])

  useEffect(() => {
    if (shown && base?.hasSatellite && shown.getLayer(SATELLITE))
      shown.setLayoutProperty(SATELLITE, 'visibility', isFromAbove ? 'visible' : 'none')
  }, [shown, base, isFromAbove])

  return (
    <Box pos="relative" h="100%" w="100%" bg={paletteOf(isDark).water}>
      <div ref={container} className="base-map" />
      {trouble === 'replaced' && (
        <MapNote text={texts.styleFailed} role="status" top={8} maw={420} onHide={() => setTrouble(undefined)} />
      )}
      {base?.hasSatellite && (
        <MapButton
          label={texts.satellite}
          icon={IconSatellite}
          isPressed={isFromAbove}
          pos="absolute"
          top={10}
          right={50}
          onClick={() => setFromAbove(!isFromAbove)}
        />
      )}
      {hasNote && trouble === undefined && base?.isUndecided && <MapQuestion />}
      {trouble === 'notLoaded' && (
        <Box pos="absolute" inset={0} bg="var(--mantine-color-body)">
          <EmptyState icon={IconMapOff} title={texts.notLoaded} hint={texts.notLoadedHint}>
            <Button variant="light" mt="sm" onClick={() => window.location.reload()}>
              {texts.reload}
            </Button>
          </EmptyState>
        </Box>
      )}
    </Box>
  )
}

function viewOf(map: MapLibreMap) {
  return { center: map.getCenter(), zoom: map.getZoom() }
}

/** Not closer than one place is looked at, unless something larger may be. */
function fitOf(bounds: LngLatBoundsLike, fit: FitBoundsOptions, closeZoom: number): FitBoundsOptions {
  const corners = LngLatBounds.convert(bounds)
  const isPlace = corners.getSouthWest().distanceTo(corners.getNorthEast()) < 1
  const { maxZoom = closeZoom } = fit
  return { ...fit, maxZoom: isPlace ? Math.min(maxZoom, closeZoom) : maxZoom }
}

/** A flat map that points north. */
function makeMap(options: MapOptions): MapLibreMap {
  const map = new MapLibreMap({
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: 0,
    maxZoom: 19,
    ...options,
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(
    new ScaleControl({ maxWidth: 120, unit: profile.get().distance === 'mi' ? 'imperial' : 'metric' }),
    'bottom-left',
  )
  map.addControl(new AttributionControl({ compact: true }), 'bottom-right')
  return map
}

/** Calls back with what of these layers is clicked; the pointer shows that it can be. @returns what ends it */
export function onFeatureClick(
  map: MapLibreMap,
  layers: readonly string[],
  onClick: (feature: MapGeoJSONFeature) => void,
): () => void {
  const point = (cursor: string) => () => {
    map.getCanvas().style.cursor = cursor
  }
  const subscriptions = [
    map.on('click', [...layers], ({ features: [feature] = [] }) => feature && onClick(feature)),
    map.on('mouseenter', [...layers], point('pointer')),
    map.on('mouseleave', [...layers], point('')),
  ]
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe()
  }
}

/** So long a tile of another server may take on a slow line. */
const TILES_AT_LATEST_MS = 10_000

/** Calls back once when the other servers of a map send no tile at all: they refuse, cannot be reached, or are silent. */
function watchTiles(map: MapLibreMap, sources: ReadonlySet<string>, onSilence: () => void): void {
  const isOfThem = (event: object) => 'sourceId' in event && sources.has(String(event.sourceId))
  const end = () => {
    clearTimeout(timer)
    for (const subscription of subscriptions) subscription.unsubscribe()
  }
  const fail = () => {
    end()
    onSilence()
  }
  const timer = setTimeout(fail, TILES_AT_LATEST_MS)
  const subscriptions = [
    map.on('data', event => {
      if (isOfThem(event) && 'tile' in event && event.tile) end()
    }),
    map.on('error', event => {
      if (isOfThem(event)) fail()
    }),
    map.on('remove', end),
  ]
}

/** Whether this browser was told to load no more than it must (not every browser can be). */
function savesData(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  return connection?.saveData === true
}

/** A map whose data comes slowly is seen as it comes from then on. */
const SHOWN_AT_LATEST_MS = 2500

/** Between two looks whether the graphics card has drawn what it was given. */
const LOOK_AGAIN_MS = 8

/**
 * Keeps a new map unseen until all of it was drawn once. Where the processor draws in place of a graphics card, the page stands
 * still while a frame of a map that is seen is drawn, and the first frames, for which programs are compiled, take longest. A frame is
 * begun when the one before is drawn, so that they do not queue up.
 *
 * @returns settles when the map is seen and whole
 */
function showWhenDrawn(map: MapLibreMap): Promise<void> {
  const canvas = map.getCanvas()
  const context = canvas.getContext('webgl2')
  if (!context) return Promise.resolve()
  const repaint = map.triggerRepaint.bind(map)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isDrawing = false
  let isWanted = false
  let isWhole = false
  let isShown = false
  const goOn = () => {
    isDrawing = false
    if (isWanted) repaint()
    isWanted = false
  }
  const show = () => {
    if (isShown) return
    isShown = true
    clearTimeout(atLatest)
    frames.unsubscribe()
    canvas.style.visibility = ''
    // What was drawn is put on the screen before there is more to draw.
    requestAnimationFrame(() =>
      setTimeout(() => {
        map.triggerRepaint = repaint
        goOn()
        if (isWhole) resolve()
      }),
    )
  }
  map.once('load', () => {
    isWhole = true
    if (isShown) resolve()
  })
  canvas.style.visibility = 'hidden'
  map.triggerRepaint = () => {
    if (isDrawing) isWanted = true
    else repaint()
  }
  const frames = map.on('render', () => {
    isDrawing = true
    void untilDrawn(context).then(() => (isWhole ? show() : goOn()))
  })
  const atLatest = setTimeout(show, SHOWN_AT_LATEST_MS)
  map.once('remove', () => clearTimeout(atLatest))
  return promise
}

/** Settles when everything that the context was given is drawn, without blocking the page. */
async function untilDrawn(context: WebGL2RenderingContext): Promise<void> {
  const fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0)
  if (!fence) return
  context.flush()
  const isDrawn = () =>
    context.isContextLost() || context.getSyncParameter(fence, context.SYNC_STATUS) === context.SIGNALED
  while (!isDrawn()) await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
  context.deleteSync(fence)
}

// The bundler moves the library, so that it would not find its worker beside itself.
setWorkerUrl(workerUrl)
// It loads while the page still asks what the map shows.
prewarm()
