import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import type { User } from '../api/schema.ts'
import { ConfirmDialog, FormDialog } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'
import { AccessList, type ActionDialog, refetchAccess } from './access-list.tsx'
import { useKeysOf } from './keys.tsx'
import { PermissionChoice, permissionsOf } from './permissions.tsx'

const usersQuery = queryOptions({
  queryKey: ['administration', 'users'],
  queryFn: async ({ signal }) => (await ask('GET /admin/users', { signal })).users,
})

export function UsersTab() {
  const texts = useTexts('administration')
  const { data: session } = useQuery(sessionQuery)
  const isMe = ({ email }: User) => session?.kind === 'user' && session.name === email
  return (
    <AccessList
      name="users"
      answer={useQuery(usersQuery)}
      first={{
        id: 'email',
        title: texts.email,
        value: user => user.email,
        mark: user => isMe(user) && texts.you,
      }}
      others={[
        {
          id: 'lastLogin',
          title: texts.lastLogin,
          value: ({ lastLoginTimestamp: last }) => (last === null ? texts.never : new Date(last)),
          hasTime: true,
        },
      ]}
      add={{ label: texts.addUser, renderDialog: dialog => <UserDialog {...dialog} /> }}
      actionsOf={user => [
        {
          label: texts.change,
          title: texts.changeUser(user.email),
          renderDialog: dialog => <UserDialog user={user} {...dialog} />,
        },
        !isMe(user) && {
          label: texts.remove,
          title: texts.removeUser(user.email),
          renderDialog: dialog => <RemoveUserDialog user={user} {...dialog} />,
        },
      ]}
    />
  )
}

/** Changes a user, or adds one. */
function UserDialog({ user, title, onClose }: ActionDialog & { readonly user?: User }) {
  const texts = useTexts('administration')
  const form = useForm({
    initialValues: { email: '', password: '', permissions: user?.permissions ?? permissionsOf('manager') },
  })
  const { email, password, permissions } = form.values
  const { takeOverIfWanted, question } = useKeysOf(user)
  const losesRight = user !== undefined && !permissions.includes('administration')
  const save = async () => {
    if (losesRight) await takeOverIfWanted()
    await (user
      ? ask('PATCH /admin/users/{id}', {
          path: { id: user.id },
          body: { permissions: [...permissions], ...(password ? { password } : {}) },
        })
      : ask('POST /admin/users', { body: { email: email.trim(), password, permissions: [...permissions] } }))
    await refetchAccess()
  }
  return (
    <FormDialog title={title} onSave={save} onClose={onClose} isUnsaved={form.isDirty()}>
      {!user && (
        <TextInput label={texts.email} type="email" autoComplete="off" required {...form.getInputProps('email')} />
      )}
      <PasswordInput
        label={user ? texts.newPassword : texts.password}
        description={user ? `${texts.passwordRule} ${texts.unchanged}` : texts.passwordRule}
        autoComplete="new-password"
        required={!user}
        {...form.getInputProps('password')}
      />
      <PermissionChoice {...form.getInputProps('permissions')} value={permissions} />
      {losesRight && question}
    </FormDialog>
  )
}

/** Asks before a user is removed, and what becomes of the keys that the user made. */
function RemoveUserDialog({ user, ...dialog }: ActionDialog & { readonly user: User }) {
  const texts = useTexts('administration')
  const { takeOverIfWanted, question } = useKeysOf(user)
  const remove = async () => {
    await takeOverIfWanted()
    await ask('DELETE /admin/users/{id}', { path: { id: user.id } })
    await refetchAccess()
  }
  return (
    <ConfirmDialog {...dialog} hint={texts.removeUserHint} onConfirm={remove}>
      {question}
    </ConfirmDialog>
  )
}
