import { useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession, type User } from "#/api/session";
import { PageHeader } from "#/shared/ui/page-header";
import type { OutboxEntry } from "./outbox-entry";
import { OwnUpdates } from "./own-updates";
import { UpdateForm } from "./update-form";
import { useOutbox } from "./use-outbox";

/** `footer` is what the shell puts under the page, such as Logout on a phone. */
export function OperatorPage({ footer }: { footer?: ReactNode }) {
  const { t } = useTranslation();
  const user = useSession();
  if (!user) return null;
  const name = user.operatorUsername ?? user.businessName ?? "";
  return (
    <>
      <PageHeader
        title={t("shell.titles.equipmentUpdates")}
        description={t("shell.loggedInAsOperator", { name })}
      />
      <OperatorDesk key={user.id} user={user} />
      {footer}
    </>
  );
}

function OperatorDesk({ user }: { user: User }) {
  const outbox = useOutbox(user.id);
  const [editing, setEditing] = useState<OutboxEntry | null>(null);
  const top = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={top}
      className="grid scroll-mt-32 gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]"
    >
      <UpdateForm
        // Each correction is a form of its own, so that no typed value can slip into another entry.
        key={editing?.clientId ?? "new"}
        outbox={outbox}
        editing={editing}
        onEditing={setEditing}
      />
      <OwnUpdates
        outbox={outbox}
        editingId={editing?.clientId ?? null}
        onEdit={(entry) => {
          setEditing(entry);
          top.current?.scrollIntoView();
        }}
        onDiscarded={(clientId) => {
          if (editing?.clientId === clientId) setEditing(null);
        }}
      />
    </div>
  );
}
