/**
 * Workflow: applies a proposal that a person approved, then ends. Each step of it may be repeated,
 * so any run may be terminated or reset, and started again.
 */
import type { ApplyDreamInput, ApplyReport } from '#core/dreams/dream-contract.ts';
import { dreamActivities } from './dream-activities.ts';
import { showApplication } from './visibility.ts';

export async function applyDream(input: ApplyDreamInput): Promise<ApplyReport> {
  showApplication(input.tenant, 'Applying');
  const report = await dreamActivities().applyProposal(input);
  showApplication(input.tenant, report.state);
  return report;
}
