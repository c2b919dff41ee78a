// Boots the unmodified emulators of GitHub and Slack of the npm package
// emulate on 127.0.0.1, and a control port on which a test plays the part of
// the people and machines that act on GitHub beside the API's user.
//
// Control port, all POST with a JSON body:
//   /workflow {repo, path, name}          registers a workflow
//   /run      {id, status, conclusion}    moves a workflow run on
//   /branch   {repo, name, sha}           says where a branch is: git is served elsewhere
//   /merge    {repo, number, sha}         marks a pull request as merged by commit sha
//   /close    {repo, number}              closes a pull request
//   /pulls    {}                          answers all pull requests
//   /releases {}                          answers all releases
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';

// emulate listens on all interfaces and has no option for it. Node closes a
// connection that is idle for five seconds: on a busy machine that meets the
// next request, which a client must not repeat when it is a POST.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  this.keepAliveTimeout = 0;
  if (typeof args[0] === 'number' && typeof args[1] !== 'string') args.splice(1, 0, '127.0.0.1');
  else if (args[0] && typeof args[0] === 'object' && args[0].port !== undefined) args[0] = { ...args[0], host: '127.0.0.1' };
  return listen.apply(this, args);
};

const freePort = () => new Promise(resolve => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

const seed = JSON.parse(readFileSync(process.env.SEED, 'utf8'));
const dist = new URL('./node_modules/emulate/dist/', import.meta.url);

// The GitHub emulator is in a bundle with a hashed name; its seed function is
// the only place through which its store passes.
const bundle = readdirSync(dist).find(name => /^dist-.*\.js$/.test(name) && readFileSync(new URL(name, dist), 'utf8').includes('getGitHubStore,\n'));
if (!bundle) throw new Error('emulate has another layout than version 0.11.2');
const github = await import(new URL(bundle, dist));
let store;
const plant = github.githubPlugin.seed;
github.githubPlugin.seed = (s, base) => { store = s; return plant(s, base); };
const { createEmulator } = await import(new URL('api.js', dist));
const hub = await createEmulator({ service: 'github', port: await freePort(), seed });
const slack = await createEmulator({ service: 'slack', port: await freePort(), seed: { tokens: seed.tokens, slack: { team: { name: 't', domain: 't' }, channels: [{ name: 'releases' }] } } });

const tables = () => github.getGitHubStore(store);
const repoNamed = name => {
  const repo = tables().repos.all().find(r => r.full_name === name);
  if (!repo) throw new Error(`no repository ${name}`);
  return repo;
};

const actions = {
  '/workflow': ({ repo, path, name }) => tables().workflows.insert({ node_id: 'W', repo_id: repoNamed(repo).id, name, path, state: 'active', badge_url: '' }),
  '/run': ({ id, status, conclusion }) => tables().workflowRuns.update(id, { status, conclusion }),
  '/branch': ({ repo, name, sha }) => {
    const id = repoNamed(repo).id;
    for (const [table, key, value] of [[tables().branches, 'name', name], [tables().refs, 'ref', `refs/heads/${name}`]]) {
      const row = table.findBy('repo_id', id).find(r => r[key] === value);
      if (row) table.update(row.id, { sha });
      else table.insert({ repo_id: id, [key]: value, sha, protected: false, node_id: '' });
    }
    // What is pushed to a fork is seen upstream too.
    const at = new Date().toISOString();
    for (const r of tables().repos.all().filter(r => r.id === id || r.name === repo.split('/')[1])) {
      if (tables().commits.findBy('repo_id', r.id).some(c => c.sha === sha)) continue;
      tables().commits.insert({ repo_id: r.id, sha, node_id: '', message: '', tree_sha: sha, parent_shas: [], author_name: '', author_email: '', author_date: at,
        committer_name: '', committer_email: '', committer_date: at, user_id: null });
    }
    for (const p of tables().pullRequests.all()) {
      if (p.head_repo_id === id && p.head_ref === name && p.state === 'open' && p.head_sha !== sha) tables().pullRequests.update(p.id, { head_sha: sha });
    }
    return {};
  },
  '/merge': ({ repo, number, sha }) => {
    const pull = tables().pullRequests.findBy('repo_id', repoNamed(repo).id).find(p => p.number === number);
    const now = new Date().toISOString();
    return tables().pullRequests.update(pull.id, { merged: true, merged_at: now, merge_commit_sha: sha, state: 'closed', closed_at: now });
  },
  '/close': ({ repo, number }) => {
    const pull = tables().pullRequests.findBy('repo_id', repoNamed(repo).id).find(p => p.number === number);
    return tables().pullRequests.update(pull.id, { state: 'closed', closed_at: new Date().toISOString() });
  },
  '/pulls': () => tables().pullRequests.all().map(p => ({
    repo: tables().repos.get(p.base_repo_id).full_name, head_repo: tables().repos.get(p.head_repo_id).full_name,
    number: p.number, sha: p.head_sha, head: p.head_ref, base: p.base_ref, title: p.title, state: p.state, merged: p.merged })),
  '/releases': () => tables().releases.all().map(r => ({ repo: tables().repos.get(r.repo_id).full_name, tag: r.tag_name, draft: r.draft, name: r.name, body: r.body })),
};

const control = http.createServer((req, res) => {
  let body = '';
  req.on('data', d => { body += d; });
  req.on('end', () => {
    try {
      const action = actions[req.url];
      if (!action) throw new Error(`no action ${req.url}`);
      res.end(JSON.stringify(action(JSON.parse(body || '{}'))));
    } catch (e) {
      res.statusCode = 400;
      res.end(String(e));
    }
  });
});
control.listen(await freePort(), () => {
  console.log(JSON.stringify({ github: hub.url, slack: slack.url, control: `http://127.0.0.1:${control.address().port}` }));
});
