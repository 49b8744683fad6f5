#include <fmt/format.h>
#include <cstdlib>
#include "experiments/exponential/published_motions.hpp"
using namespace stiction; using namespace stiction::experiments;
int main(int argc,char**argv){
  const std::string folder=argv[1]; const std::string name=argv[2]; const std::string mode=argv[3];
  PublishedMotion p=load_published_motion(folder,name);
  const DrivenMotion& m=p.motion;
  if(mode=="tau"){
    ForceLaw law=m.make_law(); Eigen::VectorXd f;
    for(std::size_t k=0;k<(std::size_t)m.control_steps;++k){ State s; s.q=p.truth.samples[k].q; s.v=p.truth.samples[k].v; s.time=(double)k*m.control_step;
      bool ok=law(s,f); Eigen::VectorXd d=f-p.truth.forces[k]; Eigen::Index i; double w=d.cwiseAbs().maxCoeff(&i);
      if(k%10==0||k<40) fmt::print("{} ok {} diff {:.4g} at {} ours {:.4g} theirs {:.4g}; norm {:.4g} of {:.4g}\n",k,ok,w,i,f[i],p.truth.forces[k][i],d.norm(),p.truth.forces[k].norm()); }
    return 0; }
  StepOptions o; o.contact=ContactFamily::viscoelastic; 
  if(mode=="authors") o.viscoelastic.rules=AnchorRules::authors;
  if(argc>5 && argv[5][0]=='p'){o.viscoelastic.engine=EngineKind::pade;o.viscoelastic.pade_order=PadeOrder::order_1;o.viscoelastic.pade_scaling=false;}
  if(argc>5 && argv[5][0]=='r') o.contact=ContactFamily::rigid;
  DrivenRun r=drive(m,o,std::atoi(argv[4]));
  double mean=0,big=0; std::size_t n=std::min(r.states.size(),p.truth.samples.size());
  for(std::size_t k=0;k<n;++k){double d=state_distance(m.model,r.states[k],p.truth.samples[k]); mean+=d/(double)n; big=std::max(big,d); if(argc>6&&k%10==0) fmt::print("{} {:.3e} z {:.4f}\n",k,d,r.states[k].q[2]);}
  MotionSample e{r.states.back().q,0*r.states.back().v}; MotionSample t{p.truth.samples[n-1].q,0*p.truth.samples[n-1].v};
  Eigen::VectorXd d=own_axes_difference(m.model,t,e);
  fmt::print("{} failed {} rows {} mean {:.3e} largest {:.3e} end posture: base {:.3e} m, rest {:.3e} rad\n",name,r.failed,n,mean,big,d.head<3>().norm(),d.segment(3,m.model.velocity_count()-3).cwiseAbs().maxCoeff());
}
