const ADMINISTRATION_TABS = ['users', 'keys', 'dongles', 'operation', 'security-log'] as const
type AdministrationTab = (typeof ADMINISTRATION_TABS)[number]

/** What the address says of the page: which tab is open. */
interface AdministrationSearch {
  readonly tab?: AdministrationTab
}

export function readAdministrationSearch({ tab }: Record<string, unknown>): AdministrationSearch {
  const known = ADMINISTRATION_TABS.find(name => name === tab)
  return known ? { tab: known } : {}
}
