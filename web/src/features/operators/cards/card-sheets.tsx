import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { AccessCard } from "./access-card";
import { sheetsOf } from "./sheets";
import type { CardSecrets } from "./use-reveal";

/** Sheets of cards to cut out; each sheet is a separate page, so that no card is split. */
export function CardSheets({
  operators,
  companyName,
  secrets: { password, codes },
}: {
  operators: readonly Employee[];
  companyName: string;
  secrets: CardSecrets;
}) {
  return sheetsOf(operators).map((sheet) => (
    <section
      key={sheet[0]?.id}
      className="grid break-inside-avoid grid-cols-[3.5in_3.5in] content-start justify-center gap-[4mm] not-last:break-after-page"
    >
      {sheet.map((operator) => (
        <AccessCard
          key={operator.id}
          operator={operator}
          companyName={companyName}
          password={operator.hasPersonalPassword ? null : password}
          code={codes.get(operator.id)}
        />
      ))}
    </section>
  ));
}
