import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { checkPin, dismissEnded, readEnded, type Ended } from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { onEntriesChanged } from "#/device/entries";
import { useUnsentOnDevice, type UnsentOfPerson } from "#/device/unsent";
import { isLate, requestSession } from "#/session/first-session";
import { personName } from "#/domain/person";
import { FormPage } from "#/shared/form/form-page";
import { PasswordInput } from "#/shared/form/inputs/password-input";
import { useOnline } from "#/shared/online";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { useEnrolment } from "./use-enrolment";

/**
 * On the operator login: without signal the people of this phone, who sign in by PIN; the unsent
 * entries of others; and what a manager has removed.
 */
export function PhonePeople({ onEnter }: { onEnter: (user: Identity) => Promise<void> }) {
  const { t } = useTranslation();
  const device = useEnrolment();
  const people = device?.people.filter(({ ended }) => !ended).map(({ user }) => user) ?? [];
  const isReachable = useReachable(people.length > 0);
  const unsent = useUnsentOnDevice();
  const [chosen, setChosen] = useState<Identity | null>(null);
  const byPin = !isReachable && people.length > 0;
  return (
    <div className="mb-6 space-y-4 empty:hidden">
      <EndedNotice />
      {!isReachable && device !== undefined && (
        <h2 className="flex items-center gap-2 text-lg font-semibold">
          <WifiOff aria-hidden className="size-5 shrink-0 text-muted" />
          {t("phone.people.title")}
        </h2>
      )}
      {!isReachable && device !== undefined && !byPin && <p>{t("phone.people.none")}</p>}
      {byPin &&
        (chosen ? (
          <PinForm key={chosen.id} user={chosen} onEnter={onEnter} onBack={() => setChosen(null)} />
        ) : (
          <PeopleList people={people} unsent={unsent} onChoose={setChosen} />
        ))}
      {unsent
        .filter(({ userId }) => !byPin || !people.some(({ id }) => id === userId))
        .map((each) => (
          <UnsentLine key={each.userId} {...each} />
        ))}
      {byPin && (
        <>
          <hr className="border-line" />
          <p className="text-sm text-muted">{t("phone.people.others")}</p>
        </>
      )}
    </div>
  );
}

function PeopleList({
  people,
  unsent,
  onChoose,
}: {
  people: readonly Identity[];
  unsent: readonly UnsentOfPerson[];
  onChoose: (user: Identity) => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t("phone.people.choose")}</p>
      <ul className="space-y-2">
        {people.map((user) => {
          const count = unsent.find(({ userId }) => userId === user.id)?.unsent ?? 0;
          return (
            <li key={user.id}>
              <Button wide onClick={() => onChoose(user)}>
                <span className="min-w-0 flex-1 text-left break-words">{nameOf(user)}</span>
                {count > 0 && (
                  <span className="text-sm font-normal text-muted">
                    {t("phone.people.unsent", { count })}
                  </span>
                )}
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function PinForm({
  user,
  onEnter,
  onBack,
}: {
  user: Identity;
  onEnter: (user: Identity) => Promise<void>;
  onBack: () => void;
}) {
  const { t } = useTranslation();
  const [pin, setPin] = useState("");
  const [pending, setPending] = useState(false);
  const [result, setResult] = useState<PinRefusal | null>(null);
  const submit = async () => {
    setPending(true);
    try {
      const found = await checkPin(user.id, pin);
      if (typeof found === "object") await onEnter(found);
      else {
        setResult(found);
        setPin("");
      }
    } catch (error) {
      console.warn("Failed to sign in by PIN", error);
      setResult("unstored");
    } finally {
      setPending(false);
    }
  };
  return (
    <FormPage
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      loading={pending}
      submitError={result === null ? null : refusalText(t, result)}
      submitLabel={t("phone.people.submit")}
      pendingLabel={t("phone.people.pending")}
      disabledReason={pin === "" ? t("phone.people.fill") : undefined}
      wideSubmit
      secondary={
        <Button wide onClick={onBack}>
          {t("phone.people.back")}
        </Button>
      }
    >
      <p className="font-semibold">{nameOf(user)}</p>
      <PasswordInput
        label={t("phone.people.pin")}
        value={pin}
        onChange={({ target }) => setPin(target.value)}
        autoComplete="off"
        inputMode="numeric"
        maxLength={8}
        // The button of the person has the focus.
        ref={(input) => input?.focus()}
      />
    </FormPage>
  );
}

type PinRefusal = Exclude<Awaited<ReturnType<typeof checkPin>>, object>;

function refusalText(t: TFunction, result: PinRefusal): string {
  switch (result) {
    case "removed":
      return t("phone.people.removed");
    case "unstored":
      return t("phone.people.unstored");
    case 0:
      return t("phone.people.locked");
    default:
      return t("phone.people.wrong", { count: result });
  }
}

/** The entries of an enrolled person are sent without a sign-in. */
function UnsentLine({ username, unsent: count, isEnrolled }: UnsentOfPerson) {
  const { t } = useTranslation();
  const name = username ?? "";
  return (
    <p className="text-sm text-muted">
      {isEnrolled
        ? t("device.waitingSignal", { count, name })
        : username === null
          ? t("device.waitingHereUnknown", { count })
          : t("device.waitingHere", { count, name })}
    </p>
  );
}

function EndedNotice() {
  const { t } = useTranslation();
  const [ended, setEnded] = useState<Ended | null>(null);
  useEffect(() => {
    const read = () => void readEnded().then(setEnded);
    read();
    return onEntriesChanged(read);
  }, []);
  if (!ended) return null;
  const close = () => {
    setEnded(null);
    void dismissEnded();
  };
  return (
    <Notice>
      <p>{endedText(t, ended)}</p>
      <Button size="small" className="mt-2" onClick={close}>
        {t("phone.ended.close")}
      </Button>
    </Notice>
  );
}

function endedText(t: TFunction, { why, names }: Ended): string {
  switch (why) {
    case "device":
      return t("phone.ended.device");
    case "person":
      return t("phone.ended.person", { names: names.join(", ") });
    case "refused":
      return t("phone.ended.refused", { names: names.join(", ") });
  }
}

/** Whether the server answers; on a phone with people it is asked, because weak signal has no sign. */
function useReachable(asks: boolean): boolean {
  const online = useOnline();
  const [answers, setAnswers] = useState(true);
  useEffect(() => {
    if (!asks || !online) return undefined;
    let mounted = true;
    const ask = async () => {
      const answer = requestSession({ anonymous: true });
      answer.catch(() => undefined);
      const failed = (await isLate(answer)) || (await answer.then(() => false, isNetwork));
      if (mounted) setAnswers(!failed);
    };
    void ask();
    const timer = setInterval(() => void ask(), 15_000);
    return () => {
      mounted = false;
      clearInterval(timer);
    };
  }, [asks, online]);
  return online && answers;
}

const isNetwork = () => true;

const nameOf = (user: Identity) => personName({ ...user, email: null });
