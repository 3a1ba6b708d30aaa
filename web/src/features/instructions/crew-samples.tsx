import { clsx } from "clsx";
import { QrCode, Smartphone, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { Brand } from "#/shared/ui/brand";
import { Sample, SampleButton, SampleField, SampleSheet } from "./sample-parts";

const username = "maria4821";
const dots = "••••••••";
const before = 4804.1;
const reading = 4812.5;

export function SignInSample() {
  const { t } = useTranslation();
  return (
    <Sample caption={t("instructions.signIn.caption")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SampleSheet className="space-y-3 p-4">
          <p className="font-semibold">{t("auth.ownerLogin.title")}</p>
          <SampleField label={t("auth.ownerLogin.name")} value="Ridgeline Site Works" />
          <SampleField label={t("auth.password")} value={dots} />
          <SampleButton primary wide>
            {t("auth.ownerLogin.submit")}
          </SampleButton>
        </SampleSheet>
        <SampleSheet className="space-y-3 p-4">
          <p className="font-semibold">{t("auth.operatorLogin.title")}</p>
          <SampleField label={t("auth.operatorLogin.name")} value={username} mono />
          <SampleField label={t("auth.password")} value={dots} />
          <SampleButton primary wide>
            {t("auth.operatorLogin.submit")}
          </SampleButton>
        </SampleSheet>
      </div>
    </Sample>
  );
}

export function AccessCardSample() {
  const { t } = useTranslation();
  const address = `${window.location.host}/employee-login`;
  return (
    <Sample caption={t("instructions.operators.caption")} narrow>
      <SampleSheet className="flex aspect-[3.5/2.2] flex-col justify-between gap-2 p-4">
        <div className="flex items-start justify-between gap-3">
          <div className="min-w-0">
            <p className="text-sm text-muted">Ridgeline Site Works</p>
            <p className="text-lg font-semibold">María Salazar</p>
          </div>
          <QrCode className="size-20 shrink-0" strokeWidth={1.25} />
        </div>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
          <dt className="text-muted">{t("operators.columns.username")}</dt>
          <dd className="font-mono font-semibold">{username}</dd>
          <dt className="text-muted">{t("auth.password")}</dt>
          <dd className="font-semibold">{t("instructions.operators.samplePassword")}</dd>
          <dt className="text-muted">{t("instructions.operators.address")}</dt>
          <dd className="font-mono text-xs/5 break-all">{address}</dd>
        </dl>
      </SampleSheet>
    </Sample>
  );
}

export function FieldSample() {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  return (
    <Sample caption={t("instructions.field.caption")}>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SampleSheet className="space-y-4 rounded-2xl border-4 p-4">
          <Brand />
          <SampleField
            label={t("operator.form.equipment")}
            value={t("instructions.sample.excavator")}
          />
          <SampleField
            label={t("operator.form.readingHours")}
            value={format.number(reading)}
            hint={`${text.difference(before, reading, MeterUnit.HOURS)} ${t("operator.when.sinceYesterday")}`}
          />
          <FuelChoice />
          <SampleButton primary wide>
            {t("operator.form.submit")}
          </SampleButton>
        </SampleSheet>
        <SampleSheet className="bg-sunken p-4">
          <p className="font-semibold">{t("instructions.sample.excavator")}</p>
          <p>
            {text.reading(reading, MeterUnit.HOURS)} · {text.fuel(38, "diesel")}
          </p>
          <p className="text-sm text-muted">{t("instructions.field.note")}</p>
          <p className="mt-2.5 flex items-center gap-2 text-sm font-semibold">
            <Smartphone className="size-4 shrink-0" />
            {t("operator.outbox.waitingState")}
          </p>
        </SampleSheet>
      </div>
    </Sample>
  );
}

function FuelChoice() {
  const { t } = useTranslation();
  const half = "flex min-h-(--control) items-center justify-center px-2 font-semibold";
  return (
    <div className="grid grid-cols-2 overflow-hidden rounded-(--control-radius) border border-control-line">
      <p className={half}>{t("labels.fuelKinds.gas")}</p>
      <p className={clsx(half, "bg-accent text-accent-on")}>{t("labels.fuelKinds.diesel")}</p>
    </div>
  );
}

export function ReviewSample() {
  const { t } = useTranslation();
  const text = useUpdateText();
  const jump = 4884.1;
  return (
    <Sample caption={t("instructions.updates.caption")}>
      <SampleSheet className="grid gap-x-6 gap-y-3 p-4 sm:grid-cols-[1fr_1fr_auto]">
        <div>
          <p className="font-semibold">{t("instructions.sample.excavator")}</p>
          <p className="text-sm text-muted">María Salazar</p>
        </div>
        <div>
          <p className="flex flex-wrap items-baseline gap-x-4">
            <span className="font-semibold">{text.reading(jump, MeterUnit.HOURS)}</span>
            <span className="text-sm text-muted">
              {text.difference(before, jump, MeterUnit.HOURS)}
            </span>
            <span className="text-sm">{text.fuel(38, "diesel")}</span>
          </p>
          <p className="mt-1.5 flex gap-2 text-sm font-semibold">
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-muted" />
            {t("review.flags.jump", {
              count: 1,
              amount: text.amount(jump - before, MeterUnit.HOURS),
              usual: text.amount(8, MeterUnit.HOURS),
            })}
          </p>
          <p className="mt-1 flex flex-wrap gap-x-4 text-sm font-semibold text-accent">
            <span>{t("review.act.correct")}</span>
            <span>{t("review.act.move")}</span>
          </p>
        </div>
        <div className="flex gap-2 self-start">
          <SampleButton small>{t("review.act.accept")}</SampleButton>
          <SampleButton small>{t("review.queue.reject")}</SampleButton>
        </div>
      </SampleSheet>
    </Sample>
  );
}
