import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Pencil } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { initialsOf } from "#/domain/person";
import { useRoleLabel } from "#/shared/words/role-label";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { EditForm } from "./edit-form";
import { Fact } from "#/shared/ui/fact";
import { isSharedSession, nameOf, roleWord, rulesOf } from "./person";

export function DetailsCard({ user }: { user: User }) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  // Closing the form removes the focused button.
  useEffect(() => {
    if (!editing && edited.current) editButton.current?.focus();
    edited.current = editing;
  }, [editing]);
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Avatar user={user} />
        {!editing && !isSharedSession(user) && (
          <Button ref={editButton} className="max-md:w-full" onClick={() => setEditing(true)}>
            <Pencil aria-hidden className="size-4" />
            {t("profile.edit.open")}
          </Button>
        )}
      </div>
      <div className="mt-5 border-t border-line pt-5">
        {editing ? (
          <EditForm user={user} rules={rulesOf(user)} onClose={() => setEditing(false)} />
        ) : (
          <Facts user={user} />
        )}
      </div>
    </Card>
  );
}

function Avatar({ user }: { user: User }) {
  const roleLabel = useRoleLabel();
  const name = nameOf(user);
  return (
    <div className="flex min-w-0 flex-1 basis-60 items-center gap-4">
      <span
        aria-hidden
        className="grid size-14 shrink-0 place-items-center rounded-full bg-accent-soft text-lg font-semibold text-accent"
      >
        {initialsOf(name)}
      </span>
      <div className="min-w-0">
        <p className="text-lg font-semibold break-words">{name}</p>
        <Badge>{roleLabel(roleWord(user.role))}</Badge>
      </div>
    </div>
  );
}

function Facts({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const shared = isSharedSession(user);
  const { manages } = rulesOf(user);
  const given = (text: string | undefined): ReactNode =>
    text || <span className="font-normal text-muted">{t("profile.notGiven")}</span>;
  return (
    <dl className="grid gap-x-8 gap-y-4 md:grid-cols-2">
      {!shared && (
        <>
          <Fact label={t("profile.firstName")}>{given(user.firstName)}</Fact>
          <Fact label={t("profile.lastName")}>{given(user.lastName)}</Fact>
          <Fact label={t("profile.email")}>{given(user.email)}</Fact>
          <Fact label={t("profile.secondaryEmail")}>{given(user.secondaryEmail)}</Fact>
        </>
      )}
      {!manages && <Fact label={t("profile.companyName")}>{user.businessName}</Fact>}
      {user.operatorUsername && (
        <Fact label={t("profile.username")}>
          <span className="font-mono">{user.operatorUsername}</span>
        </Fact>
      )}
      {!shared && user.createdAt && (
        <Fact label={t("profile.memberSince")}>
          {format.instantDay(timestampDate(user.createdAt))}
        </Fact>
      )}
    </dl>
  );
}
