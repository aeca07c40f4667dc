/** The title of a page that is about one thing; the shell names the others. */
export function PageTitle({ name }: { readonly name: string }) {
  return <title>{`${name} · Tacho`}</title>
}

/** Whether the page at an address has a title of its own. */
export function hasOwnTitle(path: string): boolean {
  return /^\/(cars|trips|incidents|devices)\/.|^\/account/.test(path)
}
