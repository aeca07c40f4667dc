import { Badge, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { User } from '../api/schema.ts'
import type { Permission } from '../api/types.ts'
import { Dialog, FormButtons } from '../dialog/dialog.tsx'
import { formatDate, formatDateTime, type Texts, useTexts } from '../language/language.ts'
import { ErrorState, LoadingState } from '../page/page.tsx'
import { sessionQuery } from '../session/use-session.ts'
import type { Column } from '../table/column.ts'
import { PlainTable } from '../table/plain-table.tsx'
import { KeysOfUser, keysQuery, takeOver, useKeysOf, usersQuery } from './keys.tsx'
import { PermissionChoice, PermissionsText, permissionsOf } from './permissions.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly user: User }

export function UsersTab() {
  const texts = useTexts('administration')
  const { data: users, error, refetch } = useQuery(usersQuery)
  const { data: session } = useQuery(sessionQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  if (error && !users) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!users) return <LoadingState />
  const columns = userColumns({
    texts,
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

interface ColumnsOf {
  readonly texts: Texts<'administration'>
  readonly isMe: (user: User) => boolean
  readonly onChange: (user: User) => void
  readonly onRemove: (user: User) => void
}

/** What the list says of each user. */
function userColumns({ texts, isMe, onChange, onRemove }: ColumnsOf): readonly Column<User>[] {
  return [
    {
      id: 'email',
      title: texts.email,
      cell: user => (
        <Group gap="xs" wrap="nowrap">
          {user.email}
          {isMe(user) && (
            <Badge size="sm" variant="light" tt="none" style={{ flexShrink: 0 }}>
              {texts.you}
            </Badge>
          )}
        </Group>
      ),
    },
    { id: 'permissions', title: texts.permissions, cell: user => <PermissionsText permissions={user.permissions} /> },
    { id: 'created', title: texts.created, cell: user => formatDate(Date.parse(user.createdTimestamp)) },
    {
      id: 'lastLogin',
      title: texts.lastLogin,
      cell: user =>
        user.lastLoginTimestamp === null ? texts.never : formatDateTime(Date.parse(user.lastLoginTimestamp)),
    },
    {
      id: 'actions',
      title: texts.actions,
      isNumeric: true,
      cell: user => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.changeUser(user.email)}
            onClick={() => onChange(user)}
          >
            {texts.change}
          </Button>
          {!isMe(user) && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={texts.removeUser(user.email)}
              onClick={() => onRemove(user)}
            >
              {texts.remove}
            </Button>
          )}
        </Group>
      ),
    },
  ]
}

interface UserDialogProps {
  /** Whom to change; undefined: a new one is added. */
  readonly user: User | undefined
  readonly onClose: () => void
}

function UserDialog({ user, onClose }: UserDialogProps) {
  const texts = useTexts('administration')
  const [email, setEmail] = useState(user?.email ?? '')
  const [password, setPassword] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>(user?.permissions ?? permissionsOf('manager'))
  const keys = useKeysOf(user?.id)
  const [isTakenOver, setTakenOver] = useState(false)
  const losesRight = user !== undefined && !permissions.includes('administration')
  const save = useMutation({
    mutationFn: async () => {
      if (losesRight && isTakenOver) await takeOver(keys)
      return user
        ? ask('PATCH /admin/users/{id}', {
            path: { id: user.id },
            body: { permissions: [...permissions], ...(password ? { password } : {}) },
          })
        : ask('POST /admin/users', { body: { email: email.trim(), password, permissions: [...permissions] } })
    },
    onSuccess: () => {
      for (const { queryKey } of [usersQuery, keysQuery]) void queryClient.invalidateQueries({ queryKey })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={user ? texts.changeUser(user.email) : texts.addUser} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          {!user && (
            <TextInput
              label={texts.email}
              type="email"
              autoComplete="off"
              required
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
            />
          )}
          <PasswordInput
            label={user ? texts.newPassword : texts.password}
            description={user ? `${texts.passwordRule} ${texts.unchanged}` : texts.passwordRule}
            autoComplete="new-password"
            required={!user}
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
          />
          <PermissionChoice value={permissions} onChange={setPermissions} />
          {losesRight && <KeysOfUser keys={keys} isTakenOver={isTakenOver} onChange={setTakenOver} />}
          <FormButtons error={save.error} isPending={save.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

interface RemoveUserDialogProps {
  readonly user: User
  readonly onClose: () => void
}

/** Asks before a user is removed, and what becomes of the keys that the user made. */
function RemoveUserDialog({ user, onClose }: RemoveUserDialogProps) {
  const texts = useTexts('administration')
  const keys = useKeysOf(user.id)
  const [isTakenOver, setTakenOver] = useState(false)
  const remove = useMutation({
    mutationFn: async () => {
      // First, so that they never stop.
      if (isTakenOver) await takeOver(keys)
      await ask('DELETE /admin/users/{id}', { path: { id: user.id } })
    },
    onSuccess: async () => {
      await Promise.all([usersQuery, keysQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
      onClose()
    },
  })
  return (
    <Dialog title={texts.removeUser(user.email)} onClose={onClose}>
      <Stack>
        <Text>{texts.removeUserHint}</Text>
        <KeysOfUser keys={keys} isTakenOver={isTakenOver} onChange={setTakenOver} />
        <FormButtons
          error={remove.error}
          isPending={remove.isPending}
          onCancel={onClose}
          action={texts.remove}
          onAction={() => remove.mutate()}
          isDanger
        />
      </Stack>
    </Dialog>
  )
}
