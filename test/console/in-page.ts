// Functions that run in the page: the browser is sent their text, so they use nothing from outside of themselves.

/** What these functions use of a browser, as TypeScript's own description of one contradicts that of Node. */
interface PageElement {
  readonly tagName: string
  readonly textContent: string | null
  readonly scrollWidth: number
  readonly clientWidth: number
  /** Of a field. */
  readonly labels?: Iterable<PageElement> | null
  getAttribute(name: string): string | null
  checkVisibility(): boolean
}

interface Pixels {
  drawImage(image: unknown, x: number, y: number): void
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray }
}

declare const document: {
  readonly body: PageElement
  readonly documentElement: PageElement
  readonly activeElement: PageElement | null
  createTreeWalker(
    root: PageElement,
    what: number,
  ): { nextNode(): { readonly parentElement: PageElement | null; readonly textContent: string | null } | null }
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  readonly fonts: { readonly ready: Promise<unknown> }
  getAnimations(): readonly {
    readonly effect: {
      readonly target: PageElement | null
      readonly pseudoElement: string | null
      getTiming(): { readonly iterations?: number }
    } | null
    finish(): void
  }[]
}
declare const HTMLCanvasElement: {
  readonly prototype: { getContext: (this: unknown, kind: string, options?: object) => unknown }
}
declare const NodeFilter: { readonly SHOW_TEXT: number }
declare const Image: new () => { src: string; readonly width: number; readonly height: number; decode(): Promise<void> }
declare const OffscreenCanvas: new (width: number, height: number) => { getContext(kind: '2d'): Pixels | null }
declare const PerformanceObserver: new (
  heard: (list: { getEntries(): readonly { readonly duration: number }[] }) => void,
) => { observe(options: { readonly type: string; readonly buffered: boolean }): void }
declare function getComputedStyle(element: PageElement): {
  readonly outlineStyle: string
  readonly boxShadow: string
  readonly visibility: string
  readonly backgroundColor: string
  readonly color: string
}
declare function open(address: string): unknown
declare function dispatchEvent(event: Event): void
declare function requestAnimationFrame(drawn: () => void): number

/** Attributes that people read or are read out to, as well as every text that is seen; without blanks around them. */
export function readTexts(): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement?.checkVisibility()) texts.push(node.textContent ?? '')
  for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'title', 'alt'])
    for (const element of document.querySelectorAll(`[${name}]`)) texts.push(element.getAttribute(name) ?? '')
  return texts.map(text => text.trim()).filter(text => text !== '')
}

/** The addresses of all files that the page itself was given; what the worker of a map loads is not among them. */
export function loadedFiles(): string[] {
  return performance.getEntriesByType('resource').map(({ name }) => name)
}

/** Settles when the page has its fonts and stands still: what moves is at its end, what goes on for ever may. */
export async function untilNothingMoves(): Promise<void> {
  await document.fonts.ready
  // What is animated is there after the next frame.
  for (let frame = 0; frame < 2; frame++) await new Promise<void>(resolve => requestAnimationFrame(() => resolve()))
  for (const animation of document.getAnimations())
    if (animation.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY) animation.finish()
}

/**
 * Settles when what a library puts off until a page is drawn has been done: it gives a dialog the focus, and once more after that, and it
 * notes which choice of a list that opened is marked, which takes back what a key marked before.
 */
export async function untilFocusStays(): Promise<void> {
  for (let frame = 0; frame < 2; frame++) await new Promise<void>(resolve => requestAnimationFrame(() => resolve()))
  await new Promise(resolve => setTimeout(resolve))
}

/** To be run before anything of the page: timers go off a good while late, as on a machine that is busy. */
export function slowTimers(): void {
  const begin = globalThis.setTimeout
  const late = (act: () => void, afterMs = 0) => begin(act, afterMs + 300)
  Object.assign(globalThis, { setTimeout: late })
}

/** What is animated at the moment, for ever or not. */
export function whatMoves(): string[] {
  return document
    .getAnimations()
    .map(({ effect }) => `${effect?.target?.getAttribute('class')} ${effect?.pseudoElement ?? ''}`)
}

/** How wide the page is, and the window that it is seen through. */
export function widths(): { readonly content: number; readonly screen: number } {
  const { scrollWidth, clientWidth } = document.documentElement
  return { content: scrollWidth, screen: clientWidth }
}

/** Whether it is seen whole. */
export function fitsWindow(): boolean {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth <= clientWidth
}

/** What a printer is sent of the page; nothing is printed. */
export async function onPaper(unwanted: readonly string[]) {
  dispatchEvent(new Event('beforeprint'))
  await new Promise(resolve => setTimeout(resolve))
  const { backgroundColor, color } = getComputedStyle(document.body)
  const drawn = {
    rowCount: [...document.querySelectorAll('tbody tr:not([aria-hidden])')].length,
    colors: `${color} on ${backgroundColor}`,
    unwanted: unwanted.filter(selector => document.querySelector(selector)?.checkVisibility()),
  }
  dispatchEvent(new Event('afterprint'))
  return drawn
}

/** What has the focus, and whether that can be seen. */
export function focused() {
  const element = document.activeElement
  if (!element) return undefined
  const [label] = element.labels ?? []
  const { outlineStyle, boxShadow } = getComputedStyle(element)
  return {
    kind: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    name: (element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent ?? '').trim(),
    isSeen: outlineStyle !== 'none' || boxShadow !== 'none',
  }
}

/** When the part of the page with that label shows a text, in milliseconds since 1970. */
export function whenShown({ label, text }: { readonly label: string; readonly text: string }): Promise<number> {
  return new Promise(resolve => {
    const look = () => {
      if (document.querySelector(`[aria-label="${label}"]`)?.textContent?.includes(text)) resolve(Date.now())
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** To be run before anything of the page: notes every label that begins so and is ever drawn. */
export function keepLabels(beginning: string): void {
  const labels = new Set<string>()
  Object.assign(globalThis, { keptLabels: labels })
  const look = () => {
    for (const element of document.querySelectorAll(`[aria-label^="${beginning}"]`))
      labels.add(element.getAttribute('aria-label') ?? '')
    requestAnimationFrame(look)
  }
  look()
}

/** The labels that were seen since `keepLabels`. */
export function keptLabels(): string[] {
  const { keptLabels: labels } = globalThis as unknown as { readonly keptLabels: ReadonlySet<string> }
  return [...labels]
}

/** To be run before anything of the page. */
export function recordLongTasks(): void {
  const tasks: number[] = []
  Object.assign(globalThis, { longTasksMs: tasks })
  const observer = new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration)))
  observer.observe({ type: 'longtask', buffered: true })
}

/** The longest task since `recordLongTasks`. */
export function longestTaskMs(): number {
  const { longTasksMs = [] } = globalThis as unknown as { readonly longTasksMs?: readonly number[] }
  return Math.round(Math.max(0, ...longTasksMs))
}

/** To be run before anything of the page: it finds a browser without WebGL. */
export function drawNoMaps(): void {
  const { getContext } = HTMLCanvasElement.prototype
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return kind.startsWith('webgl') ? null : getContext.call(this, kind, options)
  }
}

/** To be run before anything of the page: it finds a browser without service workers, as that of a page over plain HTTP. */
export function keepNoApp(): void {
  const { Navigator } = globalThis as unknown as { readonly Navigator: { readonly prototype: object } }
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker')
}

/** To be run before anything of the page: it finds a browser that was told to load no more than it must. */
export function saveData(): void {
  const { navigator } = globalThis as unknown as { readonly navigator: object }
  Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
}

/** From now on the page does not learn of another width, as if it were too busy to. */
export function ignoreWidths(): void {
  const { MediaQueryList } = globalThis as unknown as {
    readonly MediaQueryList: { readonly prototype: { addEventListener: () => void } }
  }
  MediaQueryList.prototype.addEventListener = () => undefined
}

/** Opens an empty page beside this one. */
export function openPage(): void {
  open('about:blank')
}

/** Leaves nothing in the browser of what was kept in it, but what is given. No page of the console may be open. */
export async function beginAnew(kept: Readonly<Record<string, string>>): Promise<void> {
  interface Deleting {
    onsuccess: () => void
    onerror: () => void
    onblocked: () => void
  }
  const { indexedDB, localStorage } = globalThis as unknown as {
    readonly indexedDB: { databases(): Promise<{ readonly name: string }[]>; deleteDatabase(name: string): Deleting }
    readonly localStorage: { clear(): void; setItem(name: string, value: string): void }
  }
  for (const { name } of await indexedDB.databases())
    await new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase(name)
      deleting.onsuccess = resolve
      deleting.onerror = () => reject(new Error(`${name} cannot be deleted`))
      // Pages that were closed a moment ago may still hold it: it goes when they do.
      deleting.onblocked = () => undefined
    })
  localStorage.clear()
  for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value)
}

interface Wanted {
  /** Of a PNG. */
  readonly base64: string
  readonly rgb: readonly number[]
  /** How much a channel may differ by. */
  readonly tolerance: number
}

/** The middle of all pixels of a colour; null when none has it. */
export async function middleOfPixels({ base64, rgb, tolerance }: Wanted) {
  const image = new Image()
  image.src = `data:image/png;base64,${base64}`
  await image.decode()
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
  if (!context) return null
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  let [count, x, y] = [0, 0, 0]
  for (let at = 0; at < data.length; at += 4) {
    if (rgb.some((value, channel) => Math.abs((data[at + channel] ?? 0) - value) > tolerance)) continue
    count++
    x += (at / 4) % image.width
    y += Math.floor(at / 4 / image.width)
  }
  return count === 0 ? null : { x: x / count, y: y / count }
}

/** To be run before anything of the page: notes when a map shows a colour for the first time. */
export function recordFirstColor({ rgb, tolerance }: Omit<Wanted, 'base64'>): void {
  const { getContext } = HTMLCanvasElement.prototype
  // Else the drawing is gone when it is looked at.
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, preserveDrawingBuffer: true })
  }
  const look = () => {
    const canvas = document.querySelector('canvas.maplibregl-canvas')
    const context = new OffscreenCanvas(400, 400).getContext('2d')
    // A map that is drawn need not be seen yet.
    const isSeen = canvas !== null && getComputedStyle(canvas).visibility === 'visible'
    context?.drawImage(isSeen ? canvas : new OffscreenCanvas(1, 1), 0, 0)
    const { data } = context?.getImageData(0, 0, 400, 400) ?? { data: [] }
    for (let at = 0; at < data.length; at += 4) {
      if (rgb.some((value, channel) => Math.abs((data[at + channel] ?? 0) - value) > tolerance)) continue
      Object.assign(globalThis, { firstColorMs: performance.now() })
      return
    }
    setTimeout(look, 30)
  }
  look()
}

/** Whether no map is awaited any more, or kept unseen until it is drawn. */
export function areMapsSeen(): boolean {
  const isAwaited = document.querySelector('[aria-busy=true], .base-map:not(.maplibregl-map)') !== null
  return (
    !isAwaited &&
    [...document.querySelectorAll('canvas.maplibregl-canvas')].every(
      canvas => getComputedStyle(canvas).visibility === 'visible',
    )
  )
}

/** When the colour was there, in milliseconds since the page was asked for; null before. */
export function firstColorMs(): number | null {
  return (globalThis as unknown as { readonly firstColorMs?: number }).firstColorMs ?? null
}

/** Whether the browser has the files of the console for a time without a network. */
export async function isAppKept(): Promise<boolean> {
  const { navigator, caches } = globalThis as unknown as {
    readonly navigator: { readonly serviceWorker: { readonly controller: unknown } }
    readonly caches: { match(path: string): Promise<unknown> }
  }
  return Boolean(navigator.serviceWorker.controller) && (await caches.match('/')) !== undefined
}

/** Whether the browser keeps what the fleet was like. */
export async function hasKeptState(): Promise<boolean> {
  interface Asked<T> {
    readonly result: T
    onsuccess: () => void
    onerror: () => void
  }
  interface Records {
    readonly objectStoreNames: { contains(name: string): boolean }
    transaction(store: string): { objectStore(store: string): { count(): Asked<number> } }
    close(): void
  }
  const { indexedDB } = globalThis as unknown as {
    readonly indexedDB: { open(name: string): Asked<Records>; databases(): Promise<{ readonly name: string }[]> }
  }
  // To open it would make it.
  if (!(await indexedDB.databases()).some(({ name }) => name === 'tacho')) return false
  return new Promise(resolve => {
    const opening = indexedDB.open('tacho')
    opening.onerror = () => resolve(false)
    opening.onsuccess = () => {
      const records = opening.result
      if (!records.objectStoreNames.contains('last-state')) {
        records.close()
        resolve(false)
        return
      }
      const counting = records.transaction('last-state').objectStore('last-state').count()
      counting.onerror = () => resolve(false)
      counting.onsuccess = () => {
        records.close()
        resolve(counting.result > 0)
      }
    }
  })
}
