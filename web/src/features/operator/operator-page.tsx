import { Suspense, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession, type User } from "#/session/session";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { correctionAgain, type Correction } from "./form/correction";
import { DeskBanners } from "./desk-banners";
import { draftsOf, type Drafts } from "./form/drafts";
import { InstallHint, LastKept, OwnUpdates } from "./lazy-parts";
import type { OutboxEntry } from "./send/outbox-entry";
import { useRejected } from "./offline-data/own-history";
import { RejectedMessage } from "./history/rejected-message";
import { usePerson } from "./offline-data/per-person";
import { UpdateForm } from "./form/update-form";
import { useDesk, type Desk } from "./use-desk";
import { useOutbox } from "./send/use-outbox";

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
  const { t } = useTranslation();
  const desk = useDesk(useOutbox(user.id));
  const drafts = draftsOf(usePerson());
  useEffect(() => drafts.start(), [drafts]);
  // Only that: each letter typed changes the rest.
  const loaded = useSyncExternalStore(drafts.subscribe, () => drafts.state().loaded);
  // A form that is there before its content would take letters that are then overwritten.
  if (!loaded) return <SkeletonRows label={t("common.loading")} />;
  return <OpenDesk desk={desk} drafts={drafts} />;
}

function OpenDesk({ desk, drafts }: { desk: Desk; drafts: Drafts }) {
  const { t } = useTranslation();
  const { rejected, corrected, markSeen, markCorrected } = useRejected();
  // What was written last is gone on with, be it a new entry or a correction.
  const [correction, setCorrection] = useState<Correction | null>(() => {
    const begun = drafts.state().drafts.at(-1)?.correction ?? null;
    return begun && correctionAgain(begun);
  });
  const [kept, setKept] = useState<OutboxEntry | null>(null);
  const top = useRef<HTMLDivElement>(null);
  const later = desk.list.state !== "loading";
  const loading = <SkeletonRows rows={4} label={t("common.loading")} />;

  const correct = (next: Correction) => {
    setCorrection(next);
    setKept(null);
    top.current?.scrollIntoView();
  };
  // A slow submit may end when another one is being corrected already: that one stays open.
  const goOn = (next: Correction | null) =>
    setCorrection((open) => (open?.key === correction?.key ? next : open));
  const keep = (entry: OutboxEntry) => {
    setKept(entry);
    goOn(null);
    if (correction?.updateId) markCorrected(correction.updateId);
  };
  return (
    <>
      <DeskBanners desk={desk} />
      <div
        ref={top}
        className="grid scroll-mt-32 gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]"
      >
        <div className="min-w-0">
          {!correction && (
            <RejectedMessage
              desk={desk}
              rejected={rejected}
              onCorrect={correct}
              onSeen={markSeen}
            />
          )}
          <Suspense>
            {kept && !correction && (
              <LastKept
                key={kept.clientId}
                desk={desk}
                entry={kept}
                onClose={() => setKept(null)}
              />
            )}
          </Suspense>
          <UpdateForm
            // Each correction is a form of its own, so that no typed value can slip into another entry.
            key={correction?.key ?? "new"}
            desk={desk}
            drafts={drafts}
            correction={correction}
            onCorrection={goOn}
            onBegin={() => setKept(null)}
            onKept={keep}
          />
          <Suspense>{later && <InstallHint desk={desk} />}</Suspense>
        </div>
        <Suspense fallback={loading}>
          {later ? (
            <OwnUpdates
              desk={desk}
              corrected={corrected}
              editingKey={correction?.key ?? null}
              onCorrect={correct}
              onDiscarded={(clientId) => {
                drafts.dropForm(clientId);
                if (correction?.key === clientId) setCorrection(null);
              }}
            />
          ) : (
            loading
          )}
        </Suspense>
      </div>
    </>
  );
}
