import { Button, Group, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../api/schema.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { PlainTable } from '../table/plain-table.tsx'
import { usersQuery } from './queries.ts'
import { RemoveUserDialog } from './remove-user-dialog.tsx'
import { userColumns } from './user-columns.tsx'
import { UserDialog } from './user-dialog.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly user: User }

export function UsersTab() {
  const texts = useTexts('administration')
  const language = useLanguage()
  const { data: users, error, refetch } = useQuery(usersQuery)
  const { data: session } = useQuery(sessionQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  if (error && !users) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!users) return <LoadingState />
  const columns = userColumns({
    texts,
    language,
    isMe: ({ email }) => session?.kind === 'user' && session.name === email,
    onChange: user => setOpen({ kind: 'change', user }),
    onRemove: user => setOpen({ kind: 'remove', user }),
  })
  return (
    <Stack>
      <Group>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'add' })}>
          {texts.addUser}
        </Button>
      </Group>
      <PlainTable label={texts.users} rows={users} columns={columns} keyOf={({ id }) => id} />
      {open?.kind === 'add' && <UserDialog user={undefined} onClose={close} />}
      {open?.kind === 'change' && <UserDialog user={open.user} onClose={close} />}
      {open?.kind === 'remove' && <RemoveUserDialog user={open.user} onClose={close} />}
    </Stack>
  )
}
