import type { Map as MapLibreMap } from 'maplibre-gl'

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
export function showWhenDrawn(map: MapLibreMap): Promise<void> {
  const canvas = map.getCanvas()
  const context = canvas.getContext('webgl2')
  const repaint = map.triggerRepaint.bind(map)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isDrawing = false
  let isWanted = false
  let isWhole = false
  let isShown = context === null

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
  if (!context) return promise

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
