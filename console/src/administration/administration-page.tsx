import { Stack, Tabs, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../language/language.ts'
import { ErrorState, LoadingState, TabRow } from '../page/page.tsx'
import { sessionQuery } from '../session/use-session.ts'
import { ADMINISTRATION_TABS, readAdministrationSearch } from './administration-search.ts'
import { DevicesTab } from './devices.tsx'
import { KeysTab } from './keys.tsx'
import { OperationTab } from './operation.tsx'
import { SecurityLogTab } from './security-log.tsx'
import { UsersTab } from './users.tsx'

const route = getRouteApi('/administration')

const CONTENTS = {
  users: UsersTab,
  keys: KeysTab,
  dongles: DevicesTab,
  operation: OperationTab,
  'security-log': SecurityLogTab,
}

/** Users, keys, dongles, the state of the service and the security log of the account, for those who may administer it. */
export function AdministrationPage() {
  const texts = useTexts('administration')
  const { tab = 'users' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (!session && error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!session) return <LoadingState />
  if (!session.permissions.includes('administration')) return <ErrorState error={new ApiError(403, '')} />
  return (
    <Stack p="md" gap="sm">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={chosen => void navigate({ search: readAdministrationSearch({ tab: chosen }), replace: true })}
      >
        <TabRow chosen={tab} mb="md">
          {ADMINISTRATION_TABS.map(name => (
            <Tabs.Tab key={name} value={name}>
              {texts[name]}
            </Tabs.Tab>
          ))}
        </TabRow>
        {ADMINISTRATION_TABS.map(name => {
          const Content = CONTENTS[name]
          return (
            <Tabs.Panel key={name} value={name}>
              <Content />
            </Tabs.Panel>
          )
        })}
      </Tabs>
    </Stack>
  )
}
