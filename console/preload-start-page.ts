import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite'

/** The code of the start page, in the order in which it is needed; that of the map only once the page is known to be wanted (`preloadMap`). */
const NEEDED = [
  { module: '/src/today/today-page.tsx', rel: 'modulepreload' },
  { module: '/src/map/map-page.tsx', rel: 'map-code' },
  { module: '/src/map/cars-map.tsx', rel: 'map-code' },
]

/**
 * Names the code of the start page in the page itself: the browser then loads it beside that of the console, not after it
 * has run. That of the map waits for the rest where a line is slow.
 */
export function preloadStartPage(): Plugin {
  return {
    name: 'preload-start-page',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return []
        const tags: HtmlTagDescriptor[] = []
        const known = new Set<string>()
        for (const { module, rel } of NEEDED)
          for (const name of filesOf(module, bundle)) {
            if (known.has(name) || html.includes(name)) continue
            known.add(name)
            tags.push({
              tag: 'link',
              attrs: {
                rel,
                crossorigin: true,
                href: `/${name}`,
                ...(rel === 'map-code' && { fetchpriority: 'low' }),
              },
              injectTo: 'head',
            })
          }
        return tags
      },
    },
  }
}

/** The file of a module, and those that it imports. */
function filesOf(module: string, bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const files = new Set<string>()
  const add = (name: string) => {
    const file = bundle[name]
    if (file?.type !== 'chunk' || files.has(name)) return
    files.add(name)
    file.imports.forEach(add)
  }
  const start = Object.values(bundle).find(
    file => file.type === 'chunk' && file.moduleIds.some(id => id.endsWith(module)),
  )
  if (!start) throw new Error(`nothing was built of ${module}`)
  add(start.fileName)
  return files
}
