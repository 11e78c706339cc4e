import { testWorkflow } from '../support/ci-workflow.ts';

testWorkflow('gitlab');
