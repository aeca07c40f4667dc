/**
 * Loads the code of the map beside that of the console where the start page is wanted, which names it (`preload-start-page.ts`): others
 * load it when they have a map.
 */
export function preloadMap(): void {
  const [path] = location.hash.slice(1).split('?')
  if (path !== '' && path !== '/') return
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="map-code"]')) link.rel = 'modulepreload'
}
