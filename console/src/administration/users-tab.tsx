import { Badge, Button, Group, Stack, Table } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../api/schema.ts'
import { formatDate, formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { PermissionsText } from './permission-choice.tsx'
import { usersQuery } from './queries.ts'
import { RemoveUserDialog } from './remove-user-dialog.tsx'
import { administrationTexts } from './texts.ts'
import { UserDialog } from './user-dialog.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly user: User }

export function UsersTab() {
  const texts = useTexts(administrationTexts)
  const language = useLanguage()
  const { data: users, error, refetch } = useQuery(usersQuery)
  const { data: session } = useQuery(sessionQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  if (error && !users) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!users) return <LoadingState />
  return (
    <Stack>
      <Group>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'add' })}>
          {texts.addUser}
        </Button>
      </Group>
      <Table.ScrollContainer minWidth={640}>
        <Table highlightOnHover aria-label={texts.users}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.email}</Table.Th>
              <Table.Th>{texts.permissions}</Table.Th>
              <Table.Th>{texts.created}</Table.Th>
              <Table.Th>{texts.lastLogin}</Table.Th>
              <Table.Th ta="right">{texts.actions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.map(user => {
              const isMe = session?.kind === 'user' && session.name === user.email
              return (
                <Table.Tr key={user.id}>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      {user.email}
                      {isMe && (
                        <Badge size="sm" variant="light" tt="none" style={{ flexShrink: 0 }}>
                          {texts.you}
                        </Badge>
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td>
                    <PermissionsText permissions={user.permissions} />
                  </Table.Td>
                  <Table.Td>{formatDate(Date.parse(user.createdTimestamp), language)}</Table.Td>
                  <Table.Td>
                    {user.lastLoginTimestamp === null
                      ? texts.never
                      : formatDateTime(Date.parse(user.lastLoginTimestamp), language)}
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={texts.changeUser(user.email)}
                        onClick={() => setOpen({ kind: 'change', user })}
                      >
                        {texts.change}
                      </Button>
                      {!isMe && (
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={texts.removeUser(user.email)}
                          onClick={() => setOpen({ kind: 'remove', user })}
                        >
                          {texts.remove}
                        </Button>
                      )}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {open?.kind === 'add' && <UserDialog user={undefined} onClose={close} />}
      {open?.kind === 'change' && <UserDialog user={open.user} onClose={close} />}
      {open?.kind === 'remove' && <RemoveUserDialog user={open.user} onClose={close} />}
    </Stack>
  )
}
